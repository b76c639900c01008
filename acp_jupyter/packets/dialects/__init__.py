"""Other ways to write down what an agent said: each module reads one of them."""
