"""What each kind of study shows and asks."""
