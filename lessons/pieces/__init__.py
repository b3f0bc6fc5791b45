"""The finished pieces: what a lesson has built, for later cells and later lessons to import."""
