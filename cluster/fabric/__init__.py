"""The network that instances and builds live in: its namespaces, links, addresses, and what may pass between them.
Knows no records and no policy of tenants; whoever runs something in it says where it belongs."""
