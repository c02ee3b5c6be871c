/**
 * Delivers findings and alerts to a webhook and by e-mail. Other packages define findings and
 * alerts; no code of the package delays the search, an evaluation or a cycle.
 */
@NullMarked
package org.stillwater.server.alert;

import org.jspecify.annotations.NullMarked;
