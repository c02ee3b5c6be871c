/**
 * The audit log: messages to people, once each, from memory at once and durably after the change
 * that caused it. What is worth telling is decided elsewhere; SQL lives behind the store.
 */
@NullMarked
package org.stillwater.monitoring.audit;

import org.jspecify.annotations.NullMarked;
