"""What a claim is about besides its step: several clients, noise, heads, options of its method.

An option rests where it changes nothing: a count rests at 1, a factor whose default is 1 rests at
1, and any other number rests at 0. A claim is about an option that its text names, or that does not
rest in all of its checks: momentum, local steps, a radius. A counterexample in which all of these
rest refutes the claim, but its author may answer that it does not show the method. Noise stays on
where the claim names noise. None is added, because a counterexample without noise is exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from theorylab.falsify.instance_parts import PARTS
from theorylab.falsify.instances import Instance, is_run, replaced, shape_of, with_clients
from theorylab.falsify.ladders import climbed
from theorylab.falsify.named_parts import named, names_option
from theorylab.falsify.scope import Scope, declared

_SOME = {int: (2, 5), float: (0.5, 0.1, 0.01)}  # of an option that no check has


class Features:
    """Those that one version is about.

    >>> from theorylab.statements import BUILT_IN
    >>> features = Features(Scope(BUILT_IN["dfedsgpsm.thm1"], "printed"))
    >>> sorted(features.options)
    ['alpha', 'eta', 'local_steps', 'rho']
    """

    def __init__(self, scope: Scope) -> None:
        statement, content = scope.statement, scope.statement.versions[scope.version]
        self._checks = [check for check in scope.checks.values() if is_run(check)]
        kinds = declared(statement, self._checks) if self._checks else {}
        self._defaults = {option: value for option, value in kinds.items() if _is_number(value)}
        given = {key for each in self._checks for key in each.get("algorithm") or {}}
        self.options = {
            option
            for option in {*self._defaults, *given}
            if names_option(content, option) or any(self._is_on(option, c) for c in self._checks)
        }
        noisy = any(map(PARTS["noise"], self._checks))
        self._noise = bool(self._checks) and (noisy or "noise" in named(content))
        self._heads = any(shape_of(check).personal for check in self._checks)

    def on(self, instance: Mapping[str, Any]) -> frozenset[str]:
        """The names of what is on in an instance; none of one that cannot be built."""
        clients = instance.get("clients")
        found = {"several clients"} if isinstance(clients, int) and clients > 1 else set()
        try:
            if is_run(instance):
                found |= {option for option in self.options if self._is_on(option, instance)}
                if self._noise and PARTS["noise"](instance):
                    found.add("noise")
                if self._heads and shape_of(instance).personal:
                    found.add("heads")
        except (ValueError, TypeError, KeyError, AttributeError):
            return frozenset()
        return frozenset(found)

    def with_more(self, instance: Instance) -> Iterator[Instance]:
        """Instances one move away in which more is on, and nothing less."""
        have = self.on(instance)
        for made in self._moved(instance) if is_run(instance) else ():
            if self.on(made) > have:
                yield made

    def _moved(self, instance: Instance) -> Iterator[Instance]:
        for option in sorted(self.options - self.on(instance)):
            known = [_option(check, option) for check in self._checks]
            kind = type(next((v for v in (*known, self._defaults.get(option)) if v), 0.0))
            for value in dict.fromkeys(v for v in (*known, *_SOME.get(kind, ())) if _is_number(v)):
                yield replaced(instance, ("algorithm", option), value)
        slower = climbed("local steps at fixed eta K", instance, math.log10(2))
        yield from [slower] if slower is not None else []
        if instance["clients"] == 1:
            two = with_clients(instance, 2)
            for network in ({"name": "complete"}, *(check["topology"] for check in self._checks)):
                yield {**two, "topology": network}

    def _is_on(self, option: str, instance: Mapping[str, Any]) -> bool:
        value = _option(instance, option)
        default = self._defaults.get(option)
        value = default if value is None else value
        return any(
            _moves(each, default) for each in (value if isinstance(value, list) else [value])
        )


def _moves(value: Any, default: Any) -> bool:
    if not _is_number(value):
        return bool(value)  # a sequence, or a word
    return value != 0 and not (value == 1 and (type(value) is int or default == 1))


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _option(instance: Mapping[str, Any], option: str) -> Any:
    return (instance.get("algorithm") or {}).get(option)
