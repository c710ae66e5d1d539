"""How often which number stands in the captions that models are trained on."""
