"""Read files block by block: successive data sets whose memory does not grow with the number of rows."""
