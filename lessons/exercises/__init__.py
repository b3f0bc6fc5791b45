"""What each lesson asks: `EXERCISES`, with checks and hints, and the wrong answers beside them."""
