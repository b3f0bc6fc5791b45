"""What `python3 workbook.py` does before anything is installed: standard library only.

`main` parses and starts, `stages` says what is installed in which order, `environment` makes and
judges `.venv`, `pip` runs pip and puts its failures into one sentence, `lock` keeps two starts
apart.
"""
