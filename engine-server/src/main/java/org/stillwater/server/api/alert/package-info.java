/** Alert rules, alerts and silences for clients. Their evaluation and delivery do not live here. */
@NullMarked
package org.stillwater.server.api.alert;

import org.jspecify.annotations.NullMarked;
