/**
 * Hosts: lists, single hosts, health, certificates, fence agents and the secrets that these need.
 * No decision about a host is made here.
 */
@NullMarked
package org.stillwater.server.api.host;

import org.jspecify.annotations.NullMarked;
