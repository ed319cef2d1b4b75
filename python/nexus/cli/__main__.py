from nexus.cli import main

main()
