package org.stillwater.server.security;

import org.stillwater.core.id.ClusterId;

/** A cluster is gone, and with it the grants on it. */
public record ClusterRemoved(ClusterId cluster) {}
