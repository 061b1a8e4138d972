"""What a person reads: results kept in a store, drawn, and set on one page.

``folder`` writes and loads a report, ``page`` makes its HTML, ``figure`` one picture, ``formula``
one formula, ``store`` keeps finished results, ``standing`` says what the exit code will be.
Nothing is imported here: ``theorylab doctor`` writes its file where the kernels cannot be loaded.
"""

__all__: list[str] = []
