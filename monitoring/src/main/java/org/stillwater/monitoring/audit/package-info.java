/**
 * The audit log: messages to administrators, once each, from memory at once and durably after the
 * change that caused it. Other packages decide which events to record; SQL lives behind the store.
 */
@NullMarked
package org.stillwater.monitoring.audit;

import org.jspecify.annotations.NullMarked;
