"""Image bytes: encode, decode, media types, bounds. Nothing else touches them."""
