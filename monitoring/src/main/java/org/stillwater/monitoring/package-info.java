/**
 * The engine's monitoring as one object, its settings and its health. The work of monitors,
 * managers and the writer lives in the packages below; no adapter to hosts or databases lives here.
 */
@NullMarked
package org.stillwater.monitoring;

import org.jspecify.annotations.NullMarked;
