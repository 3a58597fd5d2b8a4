"""Records of judges and how they are read: fields, files, what each record means, and the panel."""
