package org.stillwater.ovirt.model;

/** Cores of each socket, sockets, and threads of each core. */
public record Topology(Integer cores, Integer sockets, Integer threads) {}
