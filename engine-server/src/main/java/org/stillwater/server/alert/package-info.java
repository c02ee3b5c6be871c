/**
 * Delivers findings and alerts to a webhook and by e-mail. Other packages decide what a finding or
 * an alert is; nothing here delays the search, an evaluation or a cycle.
 */
@NullMarked
package org.stillwater.server.alert;

import org.jspecify.annotations.NullMarked;
