"""A region, an objective, a step rule and a method, as somebody outside would write them."""
