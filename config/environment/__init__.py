"""What settings make of the variables of the environment."""
