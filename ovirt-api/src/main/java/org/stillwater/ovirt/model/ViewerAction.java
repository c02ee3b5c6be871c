package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/**
 * Answer to the action that makes a file for a console's viewer.
 *
 * @param remoteViewerConnectionFile the file's text
 * @param status {@code complete}
 */
public record ViewerAction(
        @Nullable Entity job, String remoteViewerConnectionFile, String status, Entity vm) {}
