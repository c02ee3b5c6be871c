package org.stillwater.ovirt.model;

/** A MAC address. */
public record Mac(String address) {}
