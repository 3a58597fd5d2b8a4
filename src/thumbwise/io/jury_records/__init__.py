"""How records of judges are read: fields, files, what each record means, and the panel."""
