"""Why a trained model decides as it does, in the columns of the file: values, flips, neighbours, maps."""
