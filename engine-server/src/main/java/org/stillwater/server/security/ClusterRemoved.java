package org.stillwater.server.security;

import org.stillwater.core.model.ClusterId;

/** A cluster is gone, and with it the grants on it. */
public record ClusterRemoved(ClusterId cluster) {}
