/**
 * Lists as tables: columns, filters, orders, pages, and their forms in JSON and CSV. It knows no
 * resource, only rows.
 */
@NullMarked
package org.stillwater.server.api.rows;

import org.jspecify.annotations.NullMarked;
