"""Does the service do what it says? The folders mirror the code; interaction/ holds whole conversations."""
