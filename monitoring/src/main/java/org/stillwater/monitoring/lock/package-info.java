/**
 * Locks for changes that wait for the database: one for each subject, never one for all. The
 * changed data must not live here.
 */
@NullMarked
package org.stillwater.monitoring.lock;

import org.jspecify.annotations.NullMarked;
