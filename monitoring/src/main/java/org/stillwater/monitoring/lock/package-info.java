/**
 * Locks for changes that wait for the database: one for each subject, never one for all. What is
 * changed must not live here.
 */
@NullMarked
package org.stillwater.monitoring.lock;

import org.jspecify.annotations.NullMarked;
