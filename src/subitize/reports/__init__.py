"""Tables, figures, one-file HTML, comparison with the papers."""
