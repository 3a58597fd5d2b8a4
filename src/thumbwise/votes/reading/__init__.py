"""What people pass as votes, wide or long, turned into checked class numbers."""
