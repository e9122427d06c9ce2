"""Items as earlier releases wrote them; every later release must read them."""
