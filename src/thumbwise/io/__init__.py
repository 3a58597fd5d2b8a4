"""Reading and writing what people have."""
