/* Runs one kernel with fixed random input and prints a number that depends on all of its results: tools/kernels.py
 * compares the number between instruction sets, and counts instructions.
 *
 *     kernels KERNEL COUNT
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/connect_four/board.h"
#include "kernels/connect_four/lanes.h"
#include "kernels/mnk/sliced_rollouts.h"
#include "kernels/mnk/network.h"
#include "kernels/mnk/rollout.h"
#include "kernels/mnk/rows.h"

static uint64_t number = 0;

static void add(uint64_t result) { number = (number ^ result) * UINT64_C(0x9E3779B97F4A7C15) + (number >> 29); }

/* ---- Connect Four ---- */

/* Whatever games/connect_four/position.pyx finds out about a board. */
typedef struct c4_shape {
    uint64_t column[64][2], bottom, sentinel, shift[8][4];
    int steps, directions, height, cols;
} c4_shape;

static c4_shape shape_of(int rows, int cols, int connect) {
    const int height = rows + 1;
    const int away[4] = {1, height, height - 1, height + 1};
    const int fits[4] = {connect <= rows, connect <= cols, connect <= rows && connect <= cols,
                         connect <= rows && connect <= cols};
    c4_shape b;
    memset(&b, 0, sizeof b);
    b.height = height;
    b.cols = cols;
    for (int col = 0; col < cols; col++)
        for (int row = 0; row < height; row++) {
            const int bit = col * height + row;
            if (row < rows) b.column[col][bit / 64] |= UINT64_C(1) << bit % 64;
            if (row == 0 && bit < 64) b.bottom |= UINT64_C(1) << bit;
            if (row == rows && bit < 64) b.sentinel |= UINT64_C(1) << bit;
        }
    for (int run = 1; run < connect; b.steps++) {
        const int step = run < connect - run ? run : connect - run;
        b.directions = 0;
        for (int d = 0; d < 4; d++) b.shift[b.steps][d] = 255;
        for (int d = 0; d < 4; d++)
            if (fits[d]) b.shift[b.steps][b.directions++] = (uint64_t)(away[d] * step);
        run += step;
    }
    return b;
}

/* Lines on boards with about half of their cells full, more for one player than for the other. */
static void lines(int rows, int cols, int connect, uint64_t count, mcts_rng *rng) {
    const c4_shape b = shape_of(rows, cols, connect);
    const int words = b.height * cols > 64 ? 2 : 1;
    uint64_t cells[2] = {0, 0};
    for (int col = 0; col < cols; col++)
        for (int i = 0; i < 2; i++) cells[i] |= b.column[col][i];
    for (uint64_t n = 0; n < count; n++) {
        uint64_t x[2], o[2];
        int x_line = 0, o_line = 0, found;
        for (int i = 0; i < 2; i++) {
            x[i] = cells[i] & mcts_rng_next(rng) & (mcts_rng_next(rng) | mcts_rng_next(rng));
            o[i] = cells[i] & ~x[i] & mcts_rng_next(rng);
        }
        if (words == 2) found = c4_lines_two(x, o, b.shift, b.steps, b.directions, &x_line, &o_line);
        else found = c4_lines_one(x[0], o[0], b.shift, b.steps, b.directions, &x_line, &o_line);
        add((uint64_t)(found ? 1 + 2 * x_line + 4 * o_line : 0));
        if (rows != 6 || cols != 7) continue;
        found = c4_lines_standard(x[0], o[0], &x_line, &o_line);
        add((uint64_t)(found ? 1 + 2 * x_line + 4 * o_line : 0));
    }
}

/* Rollouts side by side: from the empty board, or from one with `stones` in the columns from left to right. */
static void lanes(int rows, int cols, int connect, int standard, int stones, uint64_t count, mcts_rng *rng) {
    const c4_shape b = shape_of(rows, cols, connect);
    uint64_t results[3] = {0, 0, 0}, plies = 0, power = 1;
    c4_lanes_start s;
    memset(&s, 0, sizeof s);
    s.next = s.bottom = b.bottom;
    s.sentinel = b.sentinel;
    s.column = &b.column[0][0];
    s.shift = &b.shift[0][0];
    s.steps = b.steps;
    s.directions = b.directions;
    s.height = b.height;
    s.cols = (uint32_t)cols;
    for (; s.draws < 8 && power * s.cols * s.cols * s.cols * s.cols >> 32 == 0; s.draws += 4)
        power *= s.cols * s.cols * s.cols * s.cols;
    s.power = (uint32_t)power;
    s.reject = (uint32_t)((UINT64_C(1) << 32) % power);
    for (int i = 0; i < stones; i++) {
        const uint64_t move = s.next & b.column[i % cols][0];
        s.me ^= s.next - s.bottom;
        s.next += move;
    }
    if (standard) c4_lane_rollouts(&s, count, rng, results, &plies, 1);
    else c4_lane_rollouts(&s, count, rng, results, &plies, 0);
    for (int i = 0; i < 3; i++) add(results[i]);
    add(plies);
}

/* ---- m,n,k ---- */

static void trials(int rows, int cols, int k, int exact, uint64_t count, mcts_rng *rng) {
    static uint8_t board[1024];
    static mnk_trial trial;
    const int stride = cols <= 8 && rows <= 8 ? 8 : cols <= 16 ? 16 : 32;
    uint16_t cells[1024];
    memset(board, 255, sizeof board);
    memset(&trial, 255, sizeof trial);
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < cols; col++) board[row * stride + col] = (uint8_t)((row * 7 + col * 3) % 11 == 0);
    for (uint64_t n = 0; n < count; n++) {
        mnk_draw_trial(board, rows, cols, stride, k, exact, 2, rng, &trial);
        for (int player = 0; player < 2; player++) {
            const int key = trial.key[player];
            add((uint64_t)key);
            add((uint64_t)trial.upto[player]);
            add((uint64_t)trial.ties[player]);
            if (key == 0 || key == MNK_NONE) continue;
            for (int found = mnk_cells_with(&trial, player, key, rows, cols, stride, cells); found > 0; found--)
                add(cells[found - 1]);
        }
        add((uint64_t)trial.coloured);
    }
}

/* One by one, or `many` at once. On the smaller board a player often fills all of his cells. */
static void bits(int rows, int cols, int many, uint64_t count, mcts_rng *rng) {
    uint8_t board[256];
    uint64_t all[4] = {0}, results[3] = {0}, plies = 0;
    board_v mine, theirs, empty;
    memset(board, 255, sizeof board);
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < cols; col++) {
            const int bit = board_bit(row, col);
            board[row * 16 + col] = (uint8_t)((row * 7 + col * 3) % 11 < 2 ? 1 + (row + col) % 2 : 0);
            all[bit / 64] |= UINT64_C(1) << bit % 64;
        }
    mine = board_of_bytes(board, rows, 1);
    theirs = board_of_bytes(board, rows, 2);
    empty = board_andnot(board_or(mine, theirs), board_load(all));
    if (!many) {
        for (uint64_t n = 0; n < count; n++) add((uint64_t)mnk_play_bits(mine, theirs, empty, n & 1, rng));
        return;
    }
    mnk_play_many_bits(mine, theirs, empty, rows, cols, count, rng, results, &plies);
    for (int i = 0; i < 3; i++) add(results[i]);
    add(plies);
}

static void tiny(int side, int k, int stones, uint64_t count, mcts_rng *rng) {
    uint8_t board[16], starts[4][16];
    uint64_t words[2];
    memset(board, 255, sizeof board);
    memset(starts, 255, sizeof starts);
    for (int row = 0; row < side; row++)
        for (int col = 0; col < side; col++) {
            const int cell = 4 * row + col, right = col + k <= side, down = row + k <= side;
            const int index = row * side + col;
            board[cell] = (uint8_t)(index < stones ? 1 + index % 2 : 0);
            if (right) starts[0][cell] = 0;
            if (down) starts[1][cell] = 0;
            if (right && down) starts[2][cell] = 0;
            if (col + 1 >= k && down) starts[3][cell] = 0;
        }
    memcpy(words, board, sizeof words);
    for (uint64_t n = 0; n < count; n++)
        add((uint64_t)mnk_play_tiny(words[0], words[1], (const uint8_t(*)[16])starts, side * side, k,
                                    side * side - stones, 2, rng));
}

static void rows_of(int rows, int cols, uint64_t count, mcts_rng *rng) {
    static uint8_t board[1024];
    static mnk_row_board b;
    const int stride = cols <= 8 ? 8 : cols <= 16 ? 16 : 32;
    memset(board, 255, sizeof board);
    for (int i = 0; i < rows * cols; i++) board[i / cols * stride + i % cols] = (uint8_t)(mcts_rng_next(rng) % 3);
    for (uint64_t n = 0; n < count; n++) {
        const int cell = (int)(mcts_rng_next(rng) % (uint64_t)(rows * cols)), at = cell / cols * stride + cell % cols;
        board[at] = (uint8_t)((board[at] + 1) % 3);
        mnk_load_rows(board, rows, cols, stride, 5, 0, &b);
        for (int row = 0; row < rows; row++) {
            add(b.own[0][MNK_EDGE + row]);
            add((uint64_t)b.own[1][MNK_EDGE + row] << 32 | b.empty[MNK_EDGE + row]);
        }
    }
}

static void patterns(uint64_t count, mcts_rng *rng) {
    for (uint64_t n = 0; n < count; n++) {
        uint32_t half[2][4], found[4];
        for (int i = 0; i < 8; i++) half[i / 4][i % 4] = (uint32_t)mcts_rng_next(rng) & 0xFF00FF;
        line_patterns((const uint32_t(*)[4])half, (int)(n & 1), 8, found);
        for (int i = 0; i < 4; i++) add(found[i]);
    }
}

/* A network of random numbers on a board of which one cell changes from call to call. */
static void network(int rows, int cols, uint64_t count, mcts_rng *rng) {
    static int16_t table[LINE_PATTERNS * NET_CHANNELS];
    static mnk_network net;
    static line_board b;
    static uint8_t stone[LINE_SIDE][LINE_SIDE];
    uint32_t stones[LINE_SIDE + 6] = {0}, empty[LINE_SIDE] = {0}, look[LINE_SIDE];
    uint16_t cells[LINE_SIDE * LINE_SIDE + 1];
    int32_t logits[LINE_SIDE * LINE_SIDE];
    for (int i = 0; i < LINE_PATTERNS * NET_CHANNELS; i++) table[i] = (int16_t)(mcts_rng_next(rng) % 200) - 90;
    net.table = table;
    for (int i = 0; i < NET_CHANNELS; i++) {
        net.policy[i] = (int16_t)(mcts_rng_next(rng) % 1000) - 500;
        for (int j = 0; j < NET_HIDDEN; j++)
            for (int k = 0; k < 2; k++) net.value1[i][j][k] = (int16_t)(mcts_rng_next(rng) % 200) - 100;
    }
    for (int j = 0; j < NET_HIDDEN; j++) net.value2[j] = (int16_t)(mcts_rng_next(rng) % 200) - 100;
    for (int row = 0; row < rows; row++) empty[row] = UINT32_MAX >> (32 - cols);
    line_clear(&b, rows, cols);
    for (uint64_t n = 0; n < count; n++) {
        const int row = (int)(mcts_rng_next(rng) % (uint64_t)rows), col = (int)(mcts_rng_next(rng) % (uint64_t)cols);
        const int player = (int)(n & 1), there = stone[row][col];
        int found = 0;
        if (there) line_put(&b, there - 1, line_cell(row, col), -1);
        else line_put(&b, player, line_cell(row, col), 1);
        stone[row][col] = (uint8_t)(there ? 0 : 1 + player);
        stones[3 + row] ^= UINT32_C(1) << col;
        empty[row] ^= UINT32_C(1) << col;
        net_look(stones + 3, empty, rows, look);
        add((uint64_t)(int64_t)net_value(&net, &b, look, rows, player));
        for (int i = 0; i < rows * cols; i++)
            if (look[i / cols] >> i % cols & 1) cells[found++] = (uint16_t)line_cell(i / cols, i % cols);
        net_logits(&net, &b, cells, found, player, logits);
        while (found > 0) add((uint64_t)(int64_t)logits[--found]);
    }
}

int main(int arguments, char **argument) {
    const char *kernel = arguments > 1 ? argument[1] : "";
    const uint64_t count = arguments > 2 ? strtoull(argument[2], NULL, 10) : 0;
    mcts_rng rng;
    mcts_rng_seed(&rng, 1);
    if (strcmp(kernel, "c4-lines-6x7") == 0) lines(6, 7, 4, count, &rng);
    else if (strcmp(kernel, "c4-lines-7x8") == 0) lines(7, 8, 4, count, &rng);
    else if (strcmp(kernel, "c4-lines-3x16") == 0) lines(3, 16, 4, count, &rng);
    else if (strcmp(kernel, "c4-lines-8x9-5") == 0) lines(8, 9, 5, count, &rng);
    else if (strcmp(kernel, "c4-lines-31x4") == 0) lines(31, 4, 4, count, &rng);
    else if (strcmp(kernel, "c4-rollouts-6x7") == 0) lanes(6, 7, 4, 1, 0, count, &rng);
    else if (strcmp(kernel, "c4-rollouts-6x7-late") == 0) lanes(6, 7, 4, 1, 13, count, &rng);
    else if (strcmp(kernel, "c4-rollouts-6x7-general") == 0) lanes(6, 7, 4, 0, 5, count, &rng);
    else if (strcmp(kernel, "c4-rollouts-7x8") == 0) lanes(7, 8, 4, 0, 0, count, &rng);
    else if (strcmp(kernel, "c4-rollouts-6x9-5") == 0) lanes(6, 9, 5, 0, 0, count, &rng);
    else if (strcmp(kernel, "c4-rollouts-3x16") == 0) lanes(3, 16, 4, 0, 0, count, &rng);
    else if (strcmp(kernel, "mnk-rollouts-8x8") == 0) trials(8, 8, 4, 0, count, &rng);
    else if (strcmp(kernel, "mnk-rollouts-15x15") == 0) bits(15, 15, 0, count, &rng);
    else if (strcmp(kernel, "mnk-rollouts-9x5") == 0) bits(5, 9, 0, count, &rng);
    else if (strcmp(kernel, "mnk-rollouts-15x15-many") == 0) bits(15, 15, 1, count, &rng);
    else if (strcmp(kernel, "mnk-rollouts-9x5-many") == 0) bits(5, 9, 1, count, &rng);
    else if (strcmp(kernel, "mnk-rollouts-9x16-many") == 0) bits(9, 16, 1, count, &rng);
    else if (strcmp(kernel, "mnk-rollouts-15x20") == 0) trials(20, 15, 5, 0, count, &rng);
    else if (strcmp(kernel, "mnk-rollouts-15x15-exact") == 0) trials(15, 15, 5, 1, count, &rng);
    else if (strcmp(kernel, "mnk-rollouts-19x19") == 0) trials(19, 19, 5, 0, count, &rng);
    else if (strcmp(kernel, "mnk-rollouts-3x3") == 0) tiny(3, 3, 0, count, &rng);
    else if (strcmp(kernel, "mnk-rollouts-3x3-late") == 0) tiny(3, 3, 3, count, &rng);
    else if (strcmp(kernel, "mnk-rollouts-4x4") == 0) tiny(4, 4, 0, count, &rng);
    else if (strcmp(kernel, "mnk-rollouts-4x4-3") == 0) tiny(4, 3, 2, count, &rng);
    else if (strcmp(kernel, "mnk-rows-8x8") == 0) rows_of(8, 8, count, &rng);
    else if (strcmp(kernel, "mnk-rows-15x15") == 0) rows_of(15, 15, count, &rng);
    else if (strcmp(kernel, "mnk-rows-22x22") == 0) rows_of(22, 22, count, &rng);
    else if (strcmp(kernel, "mnk-patterns") == 0) patterns(count, &rng);
    else if (strcmp(kernel, "mnk-network-15x15") == 0) network(15, 15, count, &rng);
    else if (strcmp(kernel, "mnk-network-22x5") == 0) network(22, 5, count, &rng);
    else return 1;
    printf("%016llx\n", (unsigned long long)number);
    return 0;
}
