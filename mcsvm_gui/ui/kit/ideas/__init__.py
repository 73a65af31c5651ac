"""What the machines are about, told where it is met: a few sentences and a picture from the playground."""
