"""What ``theorylab bench`` times in a checkout alone: other libraries, and the program itself.

Each file is loaded by ``theorylab.bench._checkout`` by its path, and imports none beside it.
"""
