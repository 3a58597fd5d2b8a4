"""What differs between the engines that hold the items of lazy votes, and what they are asked to compute."""
