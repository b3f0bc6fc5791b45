"""The questions at the end of each lesson: `QUESTIONS`, with a reason for every wrong answer."""
