"""What was written is looked at before anybody else can."""
