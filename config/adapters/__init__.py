"""What settings name where one app asks and another knows."""
