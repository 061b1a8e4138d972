"""What is made next: what brought much, what brought much a second, and what was never made."""

from theorylab.falsify.ranking import Ranking, gained, in_turns


def test_what_was_never_made_comes_before_what_brought_nothing():
    ranking = Ranking()
    for label in ("start: far", "start: at one"):
        ranking.put((label, ""), 0.0, 0.01)
    assert ranking.next(["start: far", "network: star", "start: at one"], "") == "network: star"


def test_the_dear_ones_have_a_part_of_the_time():
    ranking, spent = Ranking(), {"network: dear": 0.0, "start: cheap": 0.0}
    gain = {"network: dear": 0.4, "start: cheap": 0.2}
    cost = {"network: dear": 1.0, "start: cheap": 0.01}
    for label in spent:
        ranking.put((label, ""), gain[label], cost[label])
    for _ in range(1000):
        label = ranking.next(list(spent), "")
        ranking.put((label, ""), gain[label], cost[label])
        spent[label] += cost[label]
    share = spent["network: dear"] / sum(spent.values())
    assert 0.2 < share < 0.5


def test_what_brought_nothing_is_made_again_of_every_kind_of_instance():
    ranking, made = Ranking(), {"start: good": 0, "loss: poor": 0, "noise: none": 0}
    for _ in range(300):
        label = ranking.next(list(made), "", ("a cell",))
        made[label] += 1
        ranking.put((label, ""), 1.0 if label == "start: good" else 0.0, 0.01)
    assert made["start: good"] > 150
    assert min(made.values()) > 20  # without that order: one in all of each
    # another kind of instance has its own count: what is made least often there comes first
    for _ in range(40):
        label = ranking.next(["start: good", "loss: poor"], "", ("another",))
        ranking.put((label, ""), 1.0 if label == "start: good" else 0.0, 0.01)
        made[label] += 1
    assert ranking._made[("another",)]["loss: poor"] > 3


def test_a_new_move_counts_as_its_kind_does():
    ranking = Ranking()
    ranking.put(("start: far", ""), 1.0, 0.01)
    ranking.put(("noise: none", ""), 0.0, 0.01)
    for _ in range(4):
        ranking.put(("loss: waves", ""), 0.0, 0.3)  # the order a second has its turn
    assert ranking.next(["noise: common 1", "start: at one"], "") == "start: at one"


def test_words_of_the_algorithm_are_kept_apart():
    ranking = Ranking()
    ranking.put(("start: far", "per-step"), 1.0, 0.01)
    for _ in range(3):
        ranking.put(("start: far", "per-round"), 0.0, 0.01)
    for words, label in (("per-step", "start: far"), ("per-round", "clients: 2")):
        assert ranking.next(["start: far", "clients: 2"], words) == label


def test_a_move_that_stopped_bringing_anything_is_left():
    ranking = Ranking()
    ranking.put(("ladder: steps +1", ""), 4.0, 0.01)
    for _ in range(20):
        ranking.put(("ladder: steps +1", ""), 0.0, 0.01)
    assert ranking.next(["ladder: steps +1", "start: far"], "") == "start: far"


def test_a_gain_is_a_share_of_the_best_ratio():
    assert gained(-1.0, -1.0, 0.0) == gained(-1.0, -5.0, 0.0) == 0.0
    assert gained(-700.0, -600.0, 0.0) < 1e-200
    assert gained(-0.5, 0.5, 0.0) > 1.0
    assert gained(-1.0, 1e6, 0.0) < 5.0
    assert gained(-700.0, -float("inf"), -700.0) == 0.0


def test_streams_have_their_shares_and_one_that_ended_is_asked_again():
    now, calls, found = [0.0], [], [0]

    def steady():
        calls.append("steady")
        now[0] += 0.01
        found[0] += len(calls) % 50 == 0
        return len(calls) < 2000

    def waiting():  # it has something to do whenever the other one found something
        calls.append("waiting")
        if not found[0]:
            return False
        found[0] -= 1
        now[0] += 0.02
        return True

    def thrice():
        calls.append("thrice")
        now[0] += 0.03
        return len(calls) < 2000

    in_turns({steady: 1.0, waiting: 1.0, thrice: 3.0}, lambda: True, lambda: now[0])
    seconds = {"steady": 0.01 * calls.count("steady"), "thrice": 0.03 * calls.count("thrice")}
    assert 2.8 < seconds["thrice"] / seconds["steady"] < 3.2
    assert found[0] <= 3
    assert 2000 <= len(calls) < 2010
    assert calls.count("waiting") < len(calls) / 4


def test_streams_end_with_the_time():
    left = [10]

    def going():
        left[0] -= 1
        return left[0] > 0

    in_turns({lambda: True: 1.0}, going, lambda: 0.0)
    assert left[0] == 0
