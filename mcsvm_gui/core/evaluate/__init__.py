"""What is measured of a trained model: scores, margins, curves, its certificate again."""
