"""What can be searched: positions and rules, of the package and of users."""
