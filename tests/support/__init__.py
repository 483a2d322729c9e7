"""What tests share and no library offers."""
