package org.stillwater.core.port;

/**
 * Everything that is durable, one store per subject.
 *
 * @param hosts hosts
 * @param vms VMs
 */
public record Stores(HostStore hosts, VmStore vms) {}
