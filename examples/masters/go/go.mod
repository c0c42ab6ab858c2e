module master

go 1.24
