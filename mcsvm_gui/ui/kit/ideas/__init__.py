"""The ideas behind the machines, shown where users meet them: a few sentences and a picture from the playground."""
